const s = ‘it’s here’;
end
